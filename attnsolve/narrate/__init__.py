"""Solutions to documents: the order in which things are told, and the words."""
