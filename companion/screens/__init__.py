"""What the players see: view models, their texts in four languages, and the drawing of them on a small display."""
