"""The interactive page."""


def explore_page():
    return ""
