"""What a fresh cloud starts with. Every seed looks first and creates only what is missing."""
