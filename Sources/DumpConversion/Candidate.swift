// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// A listed file and what its name and status say.
struct Candidate {
    let fileName: String
    let name: DumpName
    let status: FileStatus
}

extension DumpName.Stage {
    /// Order within a pass: retries last, so that bad files hold up no good ones.
    var rank: Int {
        switch self {
        case .pending: 0
        case .locked: 1
        case .converting: 2
        }
    }
}
