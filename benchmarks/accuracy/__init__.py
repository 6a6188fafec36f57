"""Does it pay? Cross-validated accuracy on real tables, and recovery of planted trees."""
