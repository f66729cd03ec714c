// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// `<bundle-id>.dropped`: one byte for each dump that was removed or not begun because the bundle
/// had reached its caps. Processes append; the sweep tells the number once.
enum DroppedDumps {
    private static let ending = ".dropped"

    /// Nil for a file that is something else. One that is being written to waits for the next pass.
    static func take(_ fileName: String, in directory: Directory) -> DumpOutcome? {
        guard fileName.hasSuffix(ending), fileName.count > ending.count else { return nil }
        do throws(SystemError) {
            guard try directory.status(of: fileName)?.kind == .regular else { return nil }
            let file = try directory.openForReading(fileName)
            defer { file.unlock() }
            // Who makes room holds this lock until its count is written.
            guard try file.tryLocking(.exclusive) else { return .waiting }
            try directory.remove(fileName)
            return .dropped(count: try file.fileStatus().sizeBytes)
        } catch {
            return error.isNotFound ? .waiting : .failed(sentence: error.description)
        }
    }
}
