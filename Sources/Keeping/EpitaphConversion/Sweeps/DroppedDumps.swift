// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// `<bundle-id>.dropped`: one byte for each dump that was removed or not begun because of the
/// bundle's caps. Processes append; the sweep reports the number once.
enum DroppedDumps {
    private static let ending = ".dropped"

    static func take(
        _ fileName: String, _ status: FileStatus, in directory: Directory
    ) throws(SystemError) -> DumpOutcome? {
        guard fileName.hasSuffix(ending), fileName.count > ending.count, status.kind == .regular
        else { return .notADump }
        do throws(SystemError) {
            let file = try directory.openForReading(fileName)
            defer { file.unlock() }
            // A writer holds this lock until it is done.
            guard try file.tryLocking(.exclusive) else { return .busy }
            try directory.remove(fileName)
            let count = try file.fileStatus().sizeBytes
            return count == 0 ? nil : .dropped(count: count)
        } catch {
            guard error.isNotFound else { throw error }
            return nil
        }
    }
}
