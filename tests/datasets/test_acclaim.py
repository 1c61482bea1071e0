"""Forward kinematics against an independent one, and files that are damaged."""

import numpy as np
import pytest

from cornet_nn.datasets import HDM05
from cornet_nn.datasets.hdm05 import read_amc, read_asf
from geomstats_cor.exceptions import DataError

from .files import amc_text, asf_text


def rotation(angles):
    """Return the rotation about the fixed axes x, then y, then z."""
    (a, b, c), (cos, sin) = np.radians(angles), (np.cos, np.sin)
    x = np.array([[1, 0, 0], [0, cos(a), -sin(a)], [0, sin(a), cos(a)]])
    y = np.array([[cos(b), 0, sin(b)], [0, 1, 0], [-sin(b), 0, cos(b)]])
    z = np.array([[cos(c), -sin(c), 0], [sin(c), cos(c), 0], [0, 0, 1]])
    return z @ y @ x


def place(name, bones, motion, frame):
    """Return the frame and the end of a bone as a matrix [4, 4], by recursion."""
    pose = np.eye(4)
    if name == "root":
        pose[:3, :3] = rotation(motion["root"][frame, 3:])
        pose[:3, 3] = motion["root"][frame, :3]
        return pose
    bone = bones[name]
    angles = np.zeros(3)
    for channel, value in zip(
        bone["dof"], motion.get(name, np.zeros((99, 0)))[frame], strict=True
    ):
        angles["xyz".index(channel[1])] = value
    own = rotation(bone["axis"])
    turn, along = np.eye(4), np.eye(4)
    turn[:3, :3] = own @ rotation(angles) @ np.linalg.inv(own)
    along[:3, 3] = bone["length"] * bone["direction"]
    return place(bone["parent"], bones, motion, frame) @ turn @ along


@pytest.fixture
def capture(tmp_path, rng):
    text, bones = asf_text(rng)
    (tmp_path / "HDM_bd.asf").write_text(text)
    motion_text, motion = amc_text(rng, bones, frames=3)
    (tmp_path / "HDM_bd_walk_001_120.amc").write_text(motion_text)
    return tmp_path / "HDM_bd.asf", tmp_path / "HDM_bd_walk_001_120.amc", bones, motion


def test_positions_are_those_of_the_chain_of_transforms(capture):
    asf, amc, bones, motion = capture
    positions = read_asf(asf).positions(read_amc(amc))
    assert set(positions) == set(HDM05.joints)
    for name in HDM05.joints:
        expected = [place(name, bones, motion, frame)[:3, 3] for frame in range(3)]
        np.testing.assert_allclose(positions[name], expected, atol=1e-8)


def test_bones_keep_their_lengths(capture):
    asf, amc, bones, _ = capture
    positions = read_asf(asf).positions(read_amc(amc))
    for name, bone in bones.items():
        vector = positions[name] - positions[bone["parent"]]
        np.testing.assert_allclose(np.linalg.norm(vector, axis=1), bone["length"])


def test_at_rest_the_bones_have_their_directions(capture):
    asf, _, bones, _ = capture
    positions = read_asf(asf).positions({"root": np.zeros((1, 6))})
    for name, bone in bones.items():
        vector = positions[name] - positions[bone["parent"]]
        expected = bone["length"] * bone["direction"]
        np.testing.assert_allclose(vector[0], expected, atol=1e-10)


def test_the_root_moves_the_whole_body(capture):
    asf, amc, _, _ = capture
    skeleton, motion = read_asf(asf), read_amc(amc)
    before = skeleton.positions(motion)
    motion["root"][:, :3] += [1.0, 2.0, 3.0]
    after = skeleton.positions(motion)
    for name in before:
        np.testing.assert_allclose(
            after[name] - before[name], [[1.0, 2.0, 3.0]] * 3, atol=1e-10
        )


def test_radians_and_other_orders_of_channels(capture):
    asf, amc, bones, motion = capture
    text = asf.read_text().replace("angle deg", "angle rad")
    lines = []
    for line in text.splitlines():
        words = line.split()
        if words and words[0] == "axis" and len(words) == 5:
            angles = np.radians(np.array(words[1:4], dtype=float))
            line = "axis " + " ".join(f"{angle:.15f}" for angle in angles) + " XYZ"
        lines.append(line.replace("TX TY TZ RX RY RZ", "RZ RY RX TX TY TZ"))
    asf.write_text("\n".join(lines))
    turned = {name: np.radians(values) for name, values in motion.items()}
    turned["root"] = np.column_stack(
        [np.radians(motion["root"][:, [5, 4, 3]]), motion["root"][:, :3]]
    )
    positions = read_asf(asf).positions(turned)
    for name in ("lfingers", "head", "rtoes"):
        expected = [place(name, bones, motion, frame)[:3, 3] for frame in range(3)]
        np.testing.assert_allclose(positions[name], expected, atol=1e-8)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (":bonedata", ":bones", "has no section bonedata"),
        ("name lfoot", "name left", "left, lfoot is in the hierarchy or in the bone"),
        ("length ", "long ", "is not a skeleton: KeyError"),
        ("dof rx ry rz", "dof rx ry l", "has the channel l"),
        ("position 0 0 0", "position 0 zero 0", "is not a skeleton: ValueError"),
    ],
)
def test_skeletons_that_are_damaged(capture, old, new, message):
    asf = capture[0]
    asf.write_text(asf.read_text().replace(old, new))
    with pytest.raises(DataError, match=message):
        read_asf(asf)


def test_motions_that_are_damaged(capture):
    asf, amc, _, _ = capture
    text = amc.read_text()
    lines = text.splitlines()
    for content, message in (
        ("", "is empty"),
        (":DEGREES\n", "is empty"),
        ("\n".join(lines[:-3]), "is cut short: 3 frames, and 2 lines of"),
        (text.replace("head ", "head x"), "is damaged"),
    ):
        amc.write_text(content)
        with pytest.raises(DataError, match=message):
            read_amc(amc)
    amc.write_text(text.replace("head", "hat"))
    with pytest.raises(DataError, match="moves hat, which the skeleton does not have"):
        read_asf(asf).positions(read_amc(amc))
    amc.write_text(
        "\n".join(f"{line} 1.0" if "head" in line else line for line in lines)
    )
    with pytest.raises(DataError, match="has 4 values for head"):
        read_asf(asf).positions(read_amc(amc))
