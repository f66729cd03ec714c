// SPDX-License-Identifier: Apache-2.0

import Bytes
import FoundationEssentials
import LinuxSystem

/// Converts one dump outside of any database.
public struct SingleConversion: Sendable {
    private let converter: any DumpConverter

    public init(converter: any DumpConverter = MinidumpConverter()) {
        self.converter = converter
    }

    /// Writes the minidump of the dump at `path` to `outputPath`, replacing a file that is there.
    /// It is written beside as `<outputPath>.tmp`, synced and renamed, so the output is whole or
    /// not there. The dump stays as it is.
    ///
    /// The report's id is the one in the dump's name or launch record; without either a random one.
    /// Must not be given a file this process has armed itself: reading it would drop its record
    /// lock.
    ///
    /// - Returns: the report's id.
    @discardableResult
    public func convert(_ path: String, to outputPath: String) throws(ConversionError) -> UUID {
        let dump: ByteSlice
        do throws(SystemError) {
            dump = try MappedFile.contents(of: path)
        } catch {
            throw .system(error)
        }
        let contents = converter.contents(of: dump)
        switch contents {
        case .crash: break
        case .empty: throw .unusable("\(path): the file is empty")
        case .launchRecord:
            throw .unusable("\(path): the process wrote down its start and no crash")
        case .unusable(let sentence): throw .unusable("\(path): \(sentence)")
        }
        let fileName = path.split(separator: "/").last.map(String.init) ?? ""
        let reportID = DumpName(fileName)?.uuid ?? contents.launch?.uuid ?? UUID()
        try write(dump, reportID, to: outputPath)
        return reportID
    }

    private func write(
        _ dump: ByteSlice, _ reportID: UUID, to outputPath: String
    ) throws(ConversionError) {
        let name = String(
            outputPath.split(separator: "/", omittingEmptySubsequences: false).last ?? "")
        let parent = String(outputPath.dropLast(name.count))
        let temporaryName = name + ".tmp"
        var directory: Directory?
        do throws(ConversionError) {
            let opened = try system { () throws(SystemError) in
                // Ends in a slash: the parent may be reached over a symbolic link.
                try Directory(opening: parent.isEmpty ? "./" : parent)
            }
            let file = try system { () throws(SystemError) in
                let file = try opened.openForWriting(temporaryName, creating: true)
                try file.truncate(toBytes: 0)
                return file
            }
            directory = opened
            var sink = FileSink(file)
            try converter.writeMinidump(of: dump, reportID: reportID, clientID: nil, to: &sink)
            try system { () throws(SystemError) in
                try file.synchronize()
                try opened.rename(temporaryName, to: opened, as: name)
                try opened.synchronize()
            }
        } catch {
            _ = try? directory?.remove(temporaryName)
            throw error
        }
    }

    private func system<Result>(
        _ calls: () throws(SystemError) -> Result
    ) throws(ConversionError) -> Result {
        do throws(SystemError) {
            return try calls()
        } catch {
            throw .system(error)
        }
    }
}
