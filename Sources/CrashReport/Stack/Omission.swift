// SPDX-License-Identifier: Apache-2.0

import Snapshot

extension FrameOmission {
    /// What is left out, as a clause.
    var words: String {
        switch self {
        case .stackBytes(let count):
            "\(count.grouped) bytes of the stack are not in the dump, and the frames in them"
        case .tailCall: "a function left by a tail call and has no frame"
        }
    }
}
