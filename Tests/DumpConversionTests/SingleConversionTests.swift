// SPDX-License-Identifier: Apache-2.0

import DumpConversion
import Foundation
import LinuxSystem
import Minidump
import TestSupport
import Testing

@Suite struct SingleConversionTests {
    let temporary: TemporaryDirectory
    let uuid = UUID()
    let dump: String

    init() throws {
        temporary = try TemporaryDirectory()
        dump = try temporary.write(Dumps.crash, to: "d@\(uuid.uuidString.lowercased())")
    }

    private var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: temporary.path).sorted()
        }
    }

    @Test("A dump is converted to a path, whatever is there, and stays")
    func converts() throws {
        let output = try temporary.write([1, 2, 3], to: "out.dmp")
        try temporary.write([9], to: "out.dmp.tmp")
        #expect(try SingleConversion().convert(dump, to: output) == uuid)
        let minidump = try MinidumpReader.read(MappedFile.contents(of: output))
        #expect(minidump.reportID == uuid)
        #expect(minidump.snapshot.exception?.threadID == 4712)
        #expect(FileManager.default.contents(atPath: dump).map(Array.init) == Dumps.crash)
        #expect(try names.count == 2)
    }

    @Test("The output may lie behind a linked directory")
    func linkedParent() throws {
        try Directory.make(temporary.path("real"))
        symlink("real", temporary.path("link"))
        try SingleConversion().convert(dump, to: temporary.path("link/out"))
        #expect(FileManager.default.fileExists(atPath: temporary.path("real/out")))
    }

    @Test("What cannot be converted leaves no output and names the file")
    func refuses() throws {
        let output = temporary.path("out")
        for (bytes, name) in [
            ([], "empty"), (Dumps.launchOnly(), "launch"), (Dumps.otherVersion, "version"),
            (Array("text".utf8), "text"),
        ] {
            let path = try temporary.write(bytes, to: name)
            let error = #expect(throws: ConversionError.self) {
                try SingleConversion().convert(path, to: output)
            }
            #expect(error?.description.contains(path) == true)
        }
        for path in [temporary.path("none"), temporary.path, "/dev/null"] {
            let error = #expect(throws: ConversionError.self) {
                try SingleConversion().convert(path, to: output)
            }
            #expect(error?.description.contains(path) == true)
        }
        #expect(!FileManager.default.fileExists(atPath: output))
        #expect(!FileManager.default.fileExists(atPath: output + ".tmp"))
    }

    @Test("An output that cannot be written is an error and leaves no piece")
    func badOutput() throws {
        try Directory.make(temporary.path("directory"))
        for output in ["directory", "none/out", "directory/"] {
            #expect(throws: ConversionError.self) {
                try SingleConversion().convert(dump, to: temporary.path(output))
            }
        }
        #expect(throws: ConversionError.self) {
            try SingleConversion().convert(dump, to: "/proc/x")
        }
        #expect(try names.count == 2)
        #expect(
            try FileManager.default.contentsOfDirectory(
                atPath: temporary.path("directory")
            ).isEmpty)
    }
}
