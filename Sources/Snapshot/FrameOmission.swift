// SPDX-License-Identifier: Apache-2.0

/// What is not there between two frames of a stack.
public enum FrameOmission: Sendable, Hashable {
    /// So many bytes of the stack lie there that the dump does not hold.
    case stackBytes(UInt64)
    /// A function that left by a tail call: what it jumped to took the place of its frame.
    case tailCall
}
