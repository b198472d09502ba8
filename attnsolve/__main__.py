"""The way in, for `python -m attnsolve` and the `attnsolve` command.

It imports next to nothing, so that an interrupt is quiet from the first moment on, and not only once all is loaded.
"""

import sys


def main() -> None:
    """Run the program; an interrupt ends it with 130, whenever it comes."""
    try:
        from attnsolve.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        import signal

        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the interpreter takes itself down: there is nothing to stop


if __name__ == "__main__":
    main()
