"""The Wizard dice game: bids on seven dice, a sheet a player."""
