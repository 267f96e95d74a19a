# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, as exceptions. All are FirthError; `code` and `remedy` say more."""

__all__ = [
    "AlreadyExistsError",
    "CancelledError",
    "CommitUnknownError",
    "ConflictError",
    "CorruptError",
    "FirthError",
    "InternalError",
    "InvalidArgumentError",
    "IoError",
    "NotFoundError",
    "ResourceExhaustedError",
    "UnsupportedError",
]


class FirthError(Exception):
    """Base of all errors of firth.

    `code` names the kind of error ("not found"), `message` says what was wrong and where, and
    `remedy` what to do about it; it is empty when there is nothing to say.
    """

    code = "internal"

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(f"{message}; {remedy}" if remedy else message)
        self.message = message
        self.remedy = remedy


class InvalidArgumentError(FirthError, ValueError):
    """The caller asked for something that makes no sense."""

    code = "invalid argument"


class NotFoundError(FirthError, LookupError):
    """No such table, file, column, instant or key."""

    code = "not found"


class AlreadyExistsError(FirthError):
    """Another writer created it first."""

    code = "already exists"


class CorruptError(FirthError):
    """Bytes on storage contradict their format."""

    code = "corrupt"


class UnsupportedError(FirthError, NotImplementedError):
    """Well-formed, but a version or feature that firth does not handle."""

    code = "unsupported"


class IoError(FirthError, OSError):
    """Storage failed; a retry may help."""

    code = "i/o"


class ConflictError(FirthError):
    """Another commit won; rebase and retry."""

    code = "conflict"


class CommitUnknownError(FirthError):
    """The outcome of a commit cannot be known: nothing may be cleaned up after it."""

    code = "commit unknown"


class ResourceExhaustedError(FirthError):
    """A stated budget or limit does not suffice."""

    code = "resource exhausted"


class CancelledError(FirthError):
    """The caller stopped the operation."""

    code = "cancelled"


class InternalError(FirthError):
    """A bug in firth."""

    code = "internal"


_BY_CODE = {error.code: error for error in FirthError.__subclasses__()}


def from_status(code: str, message: str, remedy: str) -> FirthError:
    """The exception for a failed status of the C++ core, which calls this."""
    return _BY_CODE.get(code, InternalError)(message, remedy)
