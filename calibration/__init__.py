"""What the companion must know of this table: the profile, the pose of the board, the faces of the dice."""
