"""A folder of small data sets in the formats of the paper's, without NTU120."""

import numpy as np

ACTIONS = ("pour_milk", "open_letter")


def data_folder(folder, each=6, frames=40):
    rng = np.random.default_rng(0)
    _radar(folder / "radar", rng, each)
    _hdm05(folder / "hdm05", rng, each, frames)
    _fpha(folder / "fpha", rng, each, frames)
    return folder


def _radar(folder, rng, each):
    folder.mkdir(parents=True)
    for number in range(3 * each):
        noise = rng.standard_normal((500, 2)) @ np.array([1.0, 1j])
        signal = noise + 0.3 * (number % 3) * np.roll(noise, 1)
        np.save(folder / f"{number:04}_{number % 3}.npy", signal)


def _walk(rng, frames, joints, label):
    """Joints that move about distinct places, the more the larger the label."""
    places = 5.0 * rng.standard_normal((joints, 3))
    steps = (0.1 + 0.2 * label) * rng.standard_normal((frames, joints, 3))
    return places + np.cumsum(steps, axis=0)


def _hdm05(folder, rng, each, frames):
    folder.mkdir()
    for label, name in enumerate(("clap", "kick")):
        for take in range(each):
            joints = _walk(rng, frames, 31, label)
            np.save(folder / f"HDM_bd_{name}_{take:03}_120.npy", joints)


def _fpha(folder, rng, each, frames):
    parts = {"Training": [], "Test": []}
    for number in range(2 * each):
        label = number % 2
        path = f"Subject_{1 + number // each}/{ACTIONS[label]}/{number}"
        joints = _walk(rng, frames, 21, label).reshape(frames, -1)
        (folder / path).mkdir(parents=True)
        table = np.column_stack([np.arange(frames), joints])
        np.savetxt(folder / path / "skeleton.txt", table, fmt="%.6f")
        parts[list(parts)[number // each]].append(f"{path} {label}")
    lines = [f for part, rows in parts.items() for f in (f"{part} {len(rows)}", *rows)]
    split = folder / "data_split_action_recognition.txt"
    split.write_text("\n".join(lines) + "\n")
