// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// A file to be copied into a report's attachments.
    public struct AttachedFile: Sendable, Equatable {
        /// A symbolic link is followed, because the user gave the path.
        public var path: String
        /// The name in the report.
        public var name: String

        /// - Parameters:
        ///   - path: the file to copy.
        ///   - name: by default the last part of the path; characters other than A-Z, a-z, 0-9,
        ///     `.`, `_` and `-` become `_`.
        public init(_ path: String, name: String? = nil) {
            self.path = path
            self.name = Self.plainName(name ?? path.lastPathComponent)
        }

        /// Makes names unique by appending a number to each repetition.
        public static func namedApart(_ files: [AttachedFile]) -> [AttachedFile] {
            var taken: Set<String> = []
            return files.map { file in
                var file = file
                let wanted = file.name
                var number = 2
                while !taken.insert(file.name).inserted {
                    file.name = "\(number)-\(wanted)"
                    number += 1
                }
                return file
            }
        }

        private static func plainName(_ wanted: String) -> String {
            let plain = wanted.unicodeScalars.prefix(200).map { (scalar) -> Character in
                switch scalar {
                case "A"..."Z", "a"..."z", "0"..."9", ".", "_", "-": return Character(scalar)
                default: return "_"
                }
            }
            let name = String(plain)
            return name.isEmpty || name == "." || name == ".." ? "attachment" : name
        }
    }
}

extension NewReport {
    /// Copies a file into the report, without bytes added to it meanwhile. Throws a problem that
    /// names the file; the report can be filed without it.
    package func attach(
        _ file: AttachedFile, limitBytes: Int = AttachmentLimit.defaultBytes
    ) throws(AttachmentProblem) {
        let (source, size) = try file.opened(limitBytes: limitBytes)
        try copy(source, size, of: file)
    }

    /// As `attach`, for callers that open files with other rights than this process has.
    ///
    /// - Parameter file: the name in the report, and the path that was opened.
    package func attach(
        _ source: FileDescriptor, as file: AttachedFile,
        limitBytes: Int = AttachmentLimit.defaultBytes
    ) throws(AttachmentProblem) {
        let size = try file.checkedSize(of: source, limitBytes: limitBytes)
        try copy(source, size, of: file)
    }

    private func copy(
        _ source: FileDescriptor, _ size: Int, of file: AttachedFile
    ) throws(AttachmentProblem) {
        try file.problem { () throws(DatabaseError) in
            try addAttachment(file.name) { (target) throws(SystemError) in
                try source.copy(size, to: target)
            }
        }
    }

    private func addAttachment(
        _ name: String, _ fill: (FileDescriptor) throws(SystemError) -> Void
    ) throws(DatabaseError) {
        let target = try addAttachment(name)
        do throws(SystemError) {
            try fill(target)
        } catch {
            // Part of an attachment would be sent as if it were complete.
            dropAttachment(name)
            throw .system(error)
        }
    }

    /// Attaches bytes. Throws a problem that names the file; the report can be filed without it.
    package func attach(
        _ bytes: [UInt8], as name: String, limitBytes: Int = AttachmentLimit.defaultBytes
    ) throws(AttachmentProblem) {
        guard bytes.count <= limitBytes else {
            throw .tooLarge(name: name, sizeBytes: bytes.count, limitBytes: limitBytes)
        }
        try AttachedFile(name, name: name).problem { () throws(DatabaseError) in
            try addAttachment(name) { (target) throws(SystemError) in
                var sink = FileSink(target)
                try sink.append(bytes)
            }
        }
    }
}

extension ReportDatabase {
    /// Attaches a file to a filed report; throws also if another process works on it.
    package func attach(
        _ file: AttachedFile, to uuid: Epitaph.ID, limitBytes: Int = AttachmentLimit.defaultBytes
    ) throws(AttachmentProblem) {
        let (source, size) = try file.opened(limitBytes: limitBytes)
        try file.problem { () throws(DatabaseError) in
            try Self.checkAttachmentName(file.name)
            let place = directory(of: try report(uuid).state)
            let lock = try ReportLock.acquire(uuid, in: place, at: clock.now())
            defer { lock.release() }
            try attempt { () throws(SystemError) in
                let directory = try attachments.makeAndOpen(uuid.fileStem)
                let target = try directory.create(file.name)
                do throws(SystemError) {
                    try source.copy(size, to: target)
                    try target.synchronize()
                    try directory.synchronize()
                } catch {
                    _ = try? directory.remove(file.name)
                    throw error
                }
            }
        }
    }
}

extension AttachedFile {
    fileprivate func opened(
        limitBytes: Int
    ) throws(AttachmentProblem) -> (FileDescriptor, Int) {
        try checkLocks()
        let file = try rethrowing(FileDescriptor.openForReading(try realPath(of: path))) {
            (error: SystemError) in
            AttachmentProblem.unreadable(name: path, reason: "cannot open it: \(error.reason)")
        }
        return (file, try checkedSize(of: file, limitBytes: limitBytes))
    }

    /// - Throws: if reading the file would harm the program.
    public func checkLocks() throws(Epitaph.AttachmentProblem) {
        guard !RecordLock.isHeldHere(onFileAt: path) else {
            throw .unreadable(
                name: path, reason: "this process has locked it, and would lose the lock")
        }
    }

    fileprivate func checkedSize(
        of file: FileDescriptor, limitBytes: Int
    ) throws(AttachmentProblem) -> Int {
        let status = try rethrowing(file.fileStatus()) { (error: SystemError) in
            AttachmentProblem.unreadable(name: path, reason: error.description)
        }
        guard status.kind == .regular else {
            throw .unreadable(name: path, reason: "it is not a regular file")
        }
        guard status.sizeBytes <= limitBytes else {
            throw .tooLarge(name: path, sizeBytes: status.sizeBytes, limitBytes: limitBytes)
        }
        return status.sizeBytes
    }

    fileprivate func problem(
        _ body: () throws(DatabaseError) -> Void
    ) throws(AttachmentProblem) {
        do throws(DatabaseError) {
            try body()
        } catch {
            throw .unreadable(name: path, reason: error.description)
        }
    }
}
