"""Small files in the formats of the data sets."""

import numpy as np

from cornet_nn.datasets import FPHA, HDM05, NTU


def smooth_walk(rng, frames, joints, scale=1.0):
    """Return joints [frames, joints, 3] that move about distinct places."""
    places = scale * rng.standard_normal((joints, 3))
    steps = 0.1 * scale * rng.standard_normal((frames, joints, 3))
    return places + np.cumsum(steps, axis=0)


# Radar -----------------------------------------------------------------------------


def radar_folder(folder, rng, signals=6, length=200):
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(signals):
        signal = rng.standard_normal((length, 2)) @ np.array([1.0, 1j])
        np.save(folder / f"{number:04}_{number % 3}.npy", signal)
    return folder


# HDM05 -----------------------------------------------------------------------------


def asf_text(rng):
    """Return a skeleton with the names of HDM05, at random, and its bones as data."""
    bones = {}
    for joint, parent in zip(HDM05.joints[1:], HDM05.parents[1:], strict=True):
        direction = rng.standard_normal(3)
        bones[joint] = {
            "parent": HDM05.joints[parent],
            "direction": direction / np.linalg.norm(direction),
            "length": rng.uniform(0.5, 3.0),
            "axis": rng.uniform(-90.0, 90.0, 3),
            "dof": [] if joint.endswith("hipjoint") else ["rx", "ry", "rz"],
        }
    bones["ltibia"]["dof"] = ["rx"]
    bones["lwrist"]["dof"] = ["ry"]
    bones["lfoot"]["dof"] = ["rx", "rz"]
    lines = [
        "# a comment",
        ":version 1.10",
        ":name test",
        ":units",
        "  mass 1.0",
        "  length 0.45",
        "  angle deg",
        ":documentation",
        "  any words",
        ":root",
        "  order TX TY TZ RX RY RZ",
        "  axis XYZ",
        "  position 0 0 0",
        "  orientation 0 0 0",
        ":bonedata",
    ]
    for number, (name, bone) in enumerate(bones.items(), start=1):
        lines += [
            "  begin",
            f"    id {number}",
            f"    name {name}",
            "    direction " + " ".join(f"{x:.12f}" for x in bone["direction"]),
            f"    length {bone['length']:.12f}",
            "    axis " + " ".join(f"{x:.12f}" for x in bone["axis"]) + " XYZ",
        ]
        if bone["dof"]:
            lines.append("    dof " + " ".join(bone["dof"]))
            limits = ["(-160.0 20.0)"] * len(bone["dof"])
            lines.append("    limits " + "\n           ".join(limits))
        lines.append("  end")
    lines += [":hierarchy", "  begin"]
    for parent in HDM05.joints:
        children = [name for name in bones if bones[name]["parent"] == parent]
        if children:
            lines.append(f"    {parent} {' '.join(children)}")
    lines.append("  end")
    return "\n".join(lines) + "\n", bones


def amc_text(rng, bones, frames):
    """Return a motion at random, and its numbers by bone."""
    motion = {"root": np.cumsum(rng.standard_normal((frames, 6)), axis=0)}
    for name, bone in bones.items():
        if bone["dof"]:
            steps = 5.0 * rng.standard_normal((frames, len(bone["dof"])))
            motion[name] = np.cumsum(steps, axis=0)
    lines = ["#!OML:ASF test", ":FULLY-SPECIFIED", ":DEGREES"]
    for frame in range(frames):
        lines.append(str(frame + 1))
        for name, values in motion.items():
            numbers = " ".join(f"{value:.12f}" for value in values[frame])
            lines.append(f"{name} {numbers}")
    return "\n".join(lines) + "\n", motion


def hdm05_folder(folder, rng, classes=("clap", "kick"), takes=4, frames=12):
    """Motions of two actors, a folder for each class."""
    skeletons = {}
    for actor in ("bd", "tr"):
        text, skeletons[actor] = asf_text(rng)
        (folder / "skeletons").mkdir(parents=True, exist_ok=True)
        (folder / "skeletons" / f"HDM_{actor}.asf").write_text(text)
    for motion in classes:
        (folder / motion).mkdir()
        for take in range(takes):
            actor = ("bd", "tr")[take % 2]
            text, _ = amc_text(rng, skeletons[actor], frames)
            name = f"HDM_{actor}_{motion}_{take:03}_120.amc"
            (folder / motion / name).write_text(text)
    return folder


def covariance_folder(folder, rng, size=5, classes=3, each=4):
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(classes * each):
        samples = rng.standard_normal((size, 4 * size))
        matrix = (samples @ samples.T / (4 * size)).astype(np.complex128)
        np.save(folder / f"{number}_{4 * size}_{number % classes}.npy", matrix)
    return folder


# FPHA ------------------------------------------------------------------------------

SPLIT = "data_split_action_recognition.txt"


def write_hand(file, joints):
    file.parent.mkdir(parents=True, exist_ok=True)
    table = np.column_stack([np.arange(len(joints)), joints.reshape(len(joints), -1)])
    np.savetxt(file, table, fmt="%.6f")


def fpha_folder(folder, rng, frames=9):
    """Two actions by two subjects, two repetitions each, and the split by subject."""
    lines = {"Training": [], "Test": []}
    for part, subject in zip(lines, (1, 2), strict=True):
        for label, action in enumerate(("pour_milk", "open_letter")):
            for repetition in (1, 2):
                path = f"Subject_{subject}/{action}/{repetition}"
                joints = smooth_walk(rng, frames, len(FPHA.joints), scale=50.0)
                write_hand(folder / path / "skeleton.txt", joints)
                lines[part].append(f"{path} {label}")
    text = "\n".join(
        line for part, rows in lines.items() for line in (f"{part} {len(rows)}", *rows)
    )
    (folder / SPLIT).write_text(text + "\n")
    return folder


def distributed_fpha_folder(folder, rng):
    """Write the same as it is distributed, with the split file beside the subjects."""
    poses = fpha_folder(folder / "Hand_pose_annotation_v1", rng)
    (poses / SPLIT).rename(folder / SPLIT)
    (folder / "Subjects_info").mkdir()
    (folder / "Subjects_info" / "Subject_1.txt").write_text("pour_milk 1")
    return folder


# NTU120 ----------------------------------------------------------------------------


def skeleton_text(tracks, frames):
    """Return a .skeleton file; `tracks` maps bodies to joints by frame."""
    lines = [str(frames)]
    for frame in range(frames):
        present = {
            body: track[frame] for body, track in tracks.items() if frame in track
        }
        lines.append(str(len(present)))
        for body, joints in present.items():
            lines.append(f"{body} 0 1 1 0 0 0 0.1 -0.2 2")
            lines.append(str(len(NTU.joints)))
            for place in joints:
                numbers = " ".join(f"{value:.7f}" for value in place)
                lines.append(f"{numbers} 257.9 167.2 1040.5 502.1 0.1 0.2 0.3 0.4 2")
    return "\n".join(lines) + "\n"


def two_bodies(rng, frames):
    return {
        body: dict(enumerate(smooth_walk(rng, frames, len(NTU.joints))))
        for body in ("72057594037931101", "72057594037931102")
    }


def ntu_folder(folder, rng, frames=8, actions=(50, 106), setups=(1, 2)):
    folder.mkdir(parents=True, exist_ok=True)
    for action in actions:
        for setup in setups:
            for repetition in (1, 2):
                name = f"S{setup:03}C001P{setup:03}R{repetition:03}A{action:03}"
                text = skeleton_text(two_bodies(rng, frames), frames)
                (folder / f"{name}.skeleton").write_text(text)
    return folder
