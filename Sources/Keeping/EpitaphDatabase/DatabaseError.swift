// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// Why a database operation failed. The description names the file or report and the remedy.
    public enum DatabaseError: Error, Sendable, Equatable, CustomStringConvertible {
        case missing(path: String)
        /// No report has this id, or an id with this beginning.
        case notFound(String)
        /// The ids of several reports begin like this.
        case ambiguous(prefix: String, matches: [Epitaph.ID])
        /// Another process is working on the report; try again later.
        case busy(Epitaph.ID)
        case alreadyFiled(Epitaph.ID)
        /// The server already has the report.
        case alreadyUploaded(Epitaph.ID)
        /// An attachment's name has characters other than A-Z a-z 0-9 . _ -
        case badAttachmentName(String)
        /// A file of the database has unexpected contents. It is left alone.
        case broken(path: String, reason: String)
        /// A later version of its program wrote the file. It is left alone.
        case laterVersion(path: String, version: Int)
        /// Another process kept the settings locked for the whole wait.
        case settingsBusy(path: String)
        /// Another process kept the launch history locked for the whole wait.
        case launchesBusy(path: String)
        /// A system call failed on a file of the database.
        case system(SystemError)
        /// `Epitaph.start` has not been called, or failed.
        case notStarted

        /// One sentence without a full stop that names the file, report or attachment.
        public var description: String {
            switch self {
            case .missing(let path): "\(path): there is no report database"
            case .notFound(let id): "there is no report \(id)"
            case .ambiguous(let prefix, let matches):
                "\(matches.count) reports begin with \(prefix): give more of the id"
            case .busy(let uuid): "report \(uuid.fileStem) is in use by another process"
            case .alreadyFiled(let uuid): "there is a report \(uuid.fileStem) already"
            case .alreadyUploaded(let uuid): "report \(uuid.fileStem) has been uploaded already"
            case .badAttachmentName(let name):
                "\"\(name)\" cannot be the name of an attachment: only A-Z a-z 0-9 . _ - may be used"
            case .broken(let path, let reason): "\(path): \(reason)"
            case .laterVersion(let path, let version):
                "\(path): a later program wrote it, in version \(version), and only version 1 is known; "
                    + "it is left alone: use that program, or move the file away"
            case .settingsBusy(let path): "\(path): another process keeps the settings locked"
            case .launchesBusy(let path): "\(path): another process keeps the launch history locked"
            case .notStarted: Refusal.notStarted.description
            case .system(let error): error.description + (error.advice.map { "; \($0)" } ?? "")
            }
        }
    }
}

func attempt<Result>(
    _ calls: () throws(SystemError) -> Result
) throws(DatabaseError) -> Result {
    try rethrowing(calls(), as: DatabaseError.system)
}

func attempt<Result>(
    _ call: @autoclosure () throws(SystemError) -> Result
) throws(DatabaseError) -> Result {
    try rethrowing(call(), as: DatabaseError.system)
}

extension SystemError {
    var advice: String? {
        if isReadOnly {
            return "reports can still be read; make the file system writable to change them"
        }
        if isNotPermitted {
            return "run this as the user whose database it is, or let this user read and write it"
        }
        if isFull {
            return "make room on that file system, for example by removing reports; nothing that "
                + "was there has been lost"
        }
        if isOutOfDescriptors { return "raise the limit of open files, or try again later" }
        if isSymbolicLink {
            return "symbolic links in a database are not followed; put a real file or directory "
                + "there"
        }
        if isNotADirectory {
            return "a directory is needed there, and no symbolic link to one; move the "
                + "other file away"
        }
        return nil
    }
}
