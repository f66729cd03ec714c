// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// A logger's directory of rolled files. Reopened by path for each step, never through a symbolic
/// link, so that a replacement is noticed.
struct LogDirectory: Sendable {
    let path: String
    let selection: LogSelection

    /// A directory with more names is not a directory of logs.
    private static let mostNames = 100_000

    /// All rolled files, oldest first; a file with two names is listed by the first.
    ///
    /// - Parameter report: called with a sentence for each name that is not UTF-8.
    func files(report: (String) -> Void = { _ in }) throws(SystemError) -> [LogFile] {
        let directory = try Directory(opening: path)
        try nameAsText(in: directory, report)
        var files: [LogFile] = []
        var known: Set<FileIdentity> = []
        for name in try directory.list(limit: Self.mostNames).names.sorted() {
            if let aside = SetAside(name: name) { recover(aside, named: name, in: directory) }
            guard selection.includes(name), let status = try directory.status(of: name),
                status.kind == .regular, known.insert(status.identity).inserted
            else { continue }
            files.append(LogFile(name: name, directoryPath: path, status: status))
        }
        return files.sorted {
            ($0.modificationTime, $0.name) < ($1.modificationTime, $1.name)
        }
    }

    /// Renames a log whose name is not UTF-8, and so neither matches nor prints, to similar text.
    private func nameAsText(
        in directory: Directory, _ report: (String) -> Void
    ) throws(SystemError) {
        for name in try directory.undecodableNames(limit: Self.mostNames)
        where selection.includes(name.text) {
            do {
                try directory.rename(name, as: name.text)
                report(
                    "\(path): the name of a rolled log is not UTF-8; it is called \(name.text) now")
            } catch {
                report(
                    "\(path): the name of a rolled log is not UTF-8, so it is not sent, and it cannot "
                        + "be called \(name.text): \(error.reason); rename it")
            }
        }
    }

    enum Taking {
        case taken(TakenLog)
        case busy
        case beingWritten
        case changed
        case gone
        case failed(SystemError)
    }

    enum Check { case identity, contents }

    /// Opens a file under its present name and locks out other uploaders.
    func take(_ file: LogFile, checking check: Check = .contents) -> Taking {
        do {
            let directory = try Directory(opening: path)
            guard let descriptor = try open(file, in: directory) else { return .gone }
            // Without locks there is only one uploader.
            if let isOurs = try? descriptor.tryLocking(.exclusive), !isOurs { return .busy }
            // The previous holder of the lock may have sent and deleted it.
            guard try name(of: file, in: directory) != nil else { return .gone }
            if check == .contents {
                guard file.isUnchanged(try descriptor.fileStatus()) else { return .changed }
                if descriptor.isOpenForWriting() == true { return .beingWritten }
            }
            return .taken(TakenLog(file: file, descriptor: descriptor))
        } catch {
            return error.isNotFound ? .gone : .failed(error)
        }
    }

    /// The present name; nil if it has none that a rolled file may have.
    func name(of file: LogFile, in directory: Directory) throws(SystemError) -> String? {
        if try directory.status(of: file.name)?.identity == file.identity { return file.name }
        for name in try directory.list(limit: Self.mostNames).names where selection.includes(name) {
            let status = try directory.status(of: name)
            if status?.kind == .regular, status?.identity == file.identity { return name }
        }
        return nil
    }

    private func open(
        _ file: LogFile, in directory: Directory
    ) throws(SystemError) -> FileDescriptor? {
        // It may be renamed between the two steps, but hardly every time.
        for _ in 0..<8 {
            guard let name = try name(of: file, in: directory) else { return nil }
            do {
                let descriptor = try directory.openForReading(name)
                if try descriptor.fileStatus().identity == file.identity { return descriptor }
            } catch  where error.isNotFound {
                continue
            }
        }
        return nil
    }
}

/// An open, locked file. The lock ends with this object.
final class TakenLog {
    let file: LogFile
    let descriptor: FileDescriptor

    init(file: LogFile, descriptor: FileDescriptor) {
        self.file = file
        self.descriptor = descriptor
    }

    deinit {
        // A child forked in the meantime must not keep the lock.
        descriptor.unlock()
    }
}
