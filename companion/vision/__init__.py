"""Pictures to readings; knows the profile, never the rules."""
