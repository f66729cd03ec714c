// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// Deletes a particular file while a logger renames files around it.
extension LogDirectory {
    enum Condition {
        /// Only if its contents are still those that were sent and can no longer change.
        case unchanged
        case always
    }

    enum Removal: Equatable {
        case removed
        /// Another program deleted it, or renamed it to no rolled log.
        case alreadyGone
        /// It was written after it was taken.
        case changed
        /// A program has opened it for writing.
        case beingWritten
        case failed(SystemError)
    }

    func remove(_ log: TakenLog, _ condition: Condition) -> Removal {
        do {
            let directory = try Directory(opening: path)
            for _ in 0..<8 {
                guard let name = try name(of: log.file, in: directory) else { return .alreadyGone }
                if let removal = try remove(log, named: name, condition, in: directory) {
                    return removal
                }
            }
            return .changed
        } catch {
            return error.isNotFound ? .alreadyGone : .failed(error)
        }
    }

    /// Nil if the name now belongs to another file.
    private func remove(
        _ log: TakenLog, named name: String, _ condition: Condition, in directory: Directory
    ) throws(SystemError) -> Removal? {
        if let obstacle = try obstacle(to: log, condition) { return obstacle }
        let asideName = SetAside(id: log.file.id, originalName: name).name
        do {
            try directory.rename(name, to: directory, as: asideName)
        } catch  where error.isNotFound {
            return nil
        }
        guard try directory.status(of: asideName)?.identity == log.file.identity else {
            putBack(asideName, as: name, in: directory)
            return nil
        }
        // From now on it cannot be opened.
        if let obstacle = try obstacle(to: log, condition) {
            putBack(asideName, as: name, in: directory)
            return obstacle
        }
        try directory.remove(asideName)
        return .removed
    }

    private func obstacle(
        to log: TakenLog, _ condition: Condition
    ) throws(SystemError) -> Removal? {
        guard condition == .unchanged else { return nil }
        guard log.file.isUnchanged(try log.descriptor.fileStatus()) else { return .changed }
        return log.descriptor.isOpenForWriting() == true ? .beingWritten : nil
    }

    /// Renames a file back, or to a similar name that is still a rolled log's.
    private func putBack(_ asideName: String, as name: String, in directory: Directory) {
        let names = [name] + (1...16).map { "\(name).restored-\($0)" }
        for candidate in names {
            do {
                try directory.link(asideName, as: candidate)
                _ = try? directory.remove(asideName)
                return
            } catch  where error.isAlreadyThere {
                continue
            } catch {
                // No hard links on this file system. Only a file created in the last microsecond,
                // under a name just seen to be free, could be replaced here.
                guard (try? directory.status(of: candidate) == nil) ?? false else { continue }
                if (try? directory.rename(asideName, to: directory, as: candidate)) != nil {
                    return
                }
            }
        }
    }

    /// Handles a file whose uploader was killed while deleting it: deletes it if it is the right
    /// one, otherwise renames it back.
    func recover(_ aside: SetAside, named asideName: String, in directory: Directory) {
        guard let descriptor = try? directory.openForReading(asideName),
            // The holder of the lock is about to delete it.
            (try? descriptor.tryLocking(.exclusive)) != false,
            let status = try? descriptor.fileStatus(), status.kind == .regular
        else { return }
        let file = LogFile(name: asideName, directoryPath: path, status: status)
        if file.id == aside.id, descriptor.isOpenForWriting() != true {
            _ = try? directory.remove(asideName)
        } else {
            putBack(asideName, as: aside.originalName, in: directory)
        }
        descriptor.unlock()
    }
}
