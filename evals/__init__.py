"""How good are the answers? Measured, never guessed."""
