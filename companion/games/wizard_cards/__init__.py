"""The Wizard card game: tricks, bids on their number, wizards and jesters."""
