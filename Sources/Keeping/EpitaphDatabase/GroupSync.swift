// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// One synchronisation for the files of several reports.
///
/// A few files are synced one by one after all of them were written. Many files are synced at once
/// by syncfs(2), which writes out everything on the file system, including what other programs
/// wrote. So it is only used if the host has little to write, and if it reports errors of our files
/// as fsync(2) would. docs/decisions/database.md
struct GroupSync {
    /// The number of files and directories from which syncfs(2) is used.
    static let worthwhileCount = 8
    /// How many unwritten bytes the whole host may have: some tenths of a second for a slow disk.
    static let unwrittenLimit = 64 << 20

    let root: Directory
    var proc = ProcFileSystem()

    /// What must be on disk for one report before its next step.
    struct Part {
        var files: [FileDescriptor] = []
        var directories: [Directory] = []

        fileprivate var count: Int { files.count + directories.count }
    }

    /// - Parameter shared: directories that all of the reports need.
    /// - Returns: for each part why it is not safe; nil if it is.
    func synchronize(_ parts: [Part], shared: [Directory] = []) -> [SystemError?] {
        let count = parts.reduce(shared.count) { $0 + $1.count }
        if count >= Self.worthwhileCount, isHostIdle,
            // The error may concern other files: sync each of ours.
            (try? root.synchronizeFileSystem()) == true
        {
            return parts.map { _ in nil }
        }
        var failure: SystemError?
        do throws(SystemError) {
            for directory in shared { try directory.synchronize() }
        } catch {
            failure = error
        }
        return parts.map { part in
            if let failure { return failure }
            do throws(SystemError) {
                for file in part.files { try file.synchronize() }
                for directory in part.directories { try directory.synchronize() }
                return nil
            } catch {
                return error
            }
        }
    }

    private var isHostIdle: Bool {
        proc.unwrittenByteCount().map { $0 <= Self.unwrittenLimit } ?? false
    }
}
