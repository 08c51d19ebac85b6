"""Readings and rules meet here: what is legal and certain, or confirmed, becomes an event; everything else is shown."""
