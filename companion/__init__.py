"""The application: rules, eyes, arbiter, screens and the simulated table."""
