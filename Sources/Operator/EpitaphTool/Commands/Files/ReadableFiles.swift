// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

enum ReadableFiles {
    /// Fails if one of these options names a file that cannot be opened: before reports are sent
    /// without it, or a wrong name counts as a server that cannot be reached.
    static func require(
        _ options: [OptionDescription], _ arguments: ParsedArguments
    ) throws(CommandFailure) {
        for option in options {
            for path in arguments.values(of: option) {
                _ = try orReason(
                    .notFound, "--\(option.long): cannot open \(path)",
                    FileDescriptor.openForReading(realPath(of: path)))
            }
        }
    }
}
