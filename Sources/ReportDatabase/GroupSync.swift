// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// One synchronisation for what several reports wrote.
///
/// Few files are synced one by one, after all of them were written. Many are synced at once by
/// syncfs(2), which writes out everything of the file system, of everybody: so only where the host
/// has little to write, and where it answers for each of our files as fsync(2) would.
/// docs/decisions/batches.md
struct GroupSync {
    /// From so many files and directories on.
    static let worthwhileCount = 8
    /// What the whole host may have to write, bytes: some tenths of a second of a slow disk.
    static let unwrittenLimit = 64 << 20

    let root: Directory
    var proc = ProcFileSystem()

    /// What one report has to have on disk before it goes on.
    struct Part {
        var files: [FileDescriptor] = []
        var directories: [Directory] = []

        fileprivate var count: Int { files.count + directories.count }
    }

    /// - Parameter shared: directories that all of the reports need.
    /// - Returns: for each part why it is not safe, nil where it is.
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
