"""The family of errors, named after what the reader of the message can do about it.

Every error carries one clear line for the log and the command line. What the OLED says of it is chosen by
the screens from the class (``short``), in the players' language.
"""

from companion.screens.view import T, Text


class CompanionError(Exception):
    """Base of all errors the companion raises on purpose; ``str(error)`` is one line for the log."""

    short = T("Something went wrong")


class InputError(CompanionError, ValueError):
    """A file or a call is malformed: mend the input (the command line exits with 2)."""

    short = T("Can't read a file")


class RecordError(InputError):
    """A line of a game record is not one: not JSON, a field missing or of the wrong type."""

    short = T("Game file damaged")


class LayoutError(InputError):
    """A board layout file does not describe a board."""

    short = T("Board file damaged")


class ProfileError(InputError):
    """A calibration profile is broken, older or missing: calibrate again."""

    short = T("Calibrate the board")


class DiceProfileError(ProfileError):
    """No dice are enrolled, or the enrolment is broken or older: enrol them again."""

    short = T("Enrol the dice")


class ConfigError(InputError):
    """The configuration has an unknown key or a bad value: mend the file."""

    short = T("Check the settings")


class PictureError(InputError):
    """A file is no picture that can be decoded."""

    short = T("Can't read picture")


class CalibrationError(CompanionError):
    """A picture can be decoded, but no board or die can be enrolled from it: take another.

    Args:
        message: one line for the log.
        short: what to mend, for the display; without it, another picture is asked for.
    """

    short = T("Take another picture")

    def __init__(self, message: str, short: Text | None = None) -> None:
        super().__init__(message)
        if short is not None:
            self.short = short


class DeviceError(CompanionError, OSError):
    """A device is missing or stopped answering: check its cable; the game goes on without it."""

    short = T("Check the cable")


class CameraError(DeviceError):
    """The camera is missing, busy or hangs."""

    short = T("Check the camera")


class DisplayError(DeviceError):
    """The display is missing or does not answer."""

    short = T("Check the display")


class ButtonsError(DeviceError):
    """The buttons can't be opened."""

    short = T("Check the buttons")
