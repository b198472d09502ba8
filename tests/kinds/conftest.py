"""Marking, for the mistakes that can be made with what a kind has."""

from __future__ import annotations

from check.conftest import marked as marked
