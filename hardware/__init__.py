"""The devices at the edge: camera, display and buttons, each real, scripted or none."""
