"""Exercises of chapter 1: bare-bones attention."""

EXERCISES = {}
