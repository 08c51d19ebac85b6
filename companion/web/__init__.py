"""The page for the phone: what the camera sees, correcting, calibrating, settings, past games."""
