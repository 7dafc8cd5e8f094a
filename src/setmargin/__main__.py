"""`python -m setmargin` is the command `setmargin`."""

from setmargin.cli import main

if __name__ == "__main__":
    main()
