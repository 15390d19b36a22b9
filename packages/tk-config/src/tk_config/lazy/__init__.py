"""The pure-Python dialect: inheritance and names by import statements."""
