// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// One sync for the files of several reports. Few files are synced one by one after all were
/// written; many by syncfs(2), which writes out the whole file system, other programs' files, too.
/// So it is only used if the host has little to write, and if it reports errors of our files as
/// fsync(2) would. docs/decisions/database.md
struct GroupSync {
    /// Files and directories from which on syncfs(2) is used.
    static let worthwhileCount = 8
    /// Unwritten bytes of the whole host: some tenths of a second for a slow disk.
    static let unwrittenLimit = 64 << 20

    let root: Directory
    var proc = ProcFileSystem()

    struct Part {
        var files: [FileDescriptor] = []
        var directories: [Directory] = []

        fileprivate var count: Int { files.count + directories.count }
    }

    /// For each part the error; nil if it is on disk. All reports need the directories in `shared`.
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
