"""The tree of errors. Each says what happened, then what to do, and carries the exit code of the contract.

AbstractsError              (code 1)
├── UsageError              2  wrong usage or settings
├── SourceError             3  nothing usable in the input
├── LibraryError            4  library missing, damaged, locked or made with another embedding
└── ProviderError           5  a provider failed after its retries
"""

from __future__ import annotations


class AbstractsError(Exception):
    """Any foreseeable fault of the product. Its text is what a user reads; its class decides the exit code."""

    exit_code = 1


class UsageError(AbstractsError):
    """The call or the settings are wrong; the text lists the choices."""

    exit_code = 2


class SourceError(AbstractsError):
    """A source cannot be read, or holds no usable record."""

    exit_code = 3


class LibraryError(AbstractsError):
    """The library is missing, damaged, in use by another writer, or made with another embedding."""

    exit_code = 4


class ProviderError(AbstractsError):
    """A model or embedding endpoint failed after its retries, or its reply does not fit what was asked."""

    exit_code = 5
