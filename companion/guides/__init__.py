"""Walks through a calibration at the table: the display asks, the camera looks, four buttons answer."""
