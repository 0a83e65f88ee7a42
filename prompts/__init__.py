"""What we say to a model."""
