// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("dump-convert settings")
struct SettingsCommandTests {
    let sample: SampleDatabase

    init() throws {
        sample = try SampleDatabase()
    }

    private var file: String { sample.path + "/settings.dat" }

    private func settings(_ arguments: String...) throws -> Subprocess {
        try dumpConvert(["settings", "--database", sample.path] + arguments)
    }

    @Test("Looking makes no settings; a change makes them and keeps their id")
    func changes() throws {
        var result = try settings()
        #expect(result.ending == .exited(0))
        #expect(
            result.standardOutput
                == "uploads: off\nclient-id: none yet\nlast-upload-attempt: never\n")
        #expect(!FileManager.default.fileExists(atPath: file))
        result = try settings("--enable-uploads")
        let id = try sample.database.settings().clientID.description
        #expect(
            result.standardOutput == "uploads: on\nclient-id: \(id)\nlast-upload-attempt: never\n")
        #expect(try sample.database.settings().uploadsEnabled)
        #expect(try settings("--disable-uploads").standardOutput.contains("uploads: off\n"))
        #expect(try settings().standardOutput.contains("client-id: \(id)\n"))
    }

    @Test("upload --enable and --disable change the same setting")
    func sameAsUpload() throws {
        _ = try dumpConvert("upload", "--database", sample.path, "--enable")
        #expect(try settings().standardOutput.hasPrefix("uploads: on\n"))
        _ = try dumpConvert("upload", "--database", sample.path, "--disable")
        #expect(try settings().standardOutput.hasPrefix("uploads: off\n"))
    }

    @Test("--json is for programs; what is not known is left out")
    func json() throws {
        let none = try settings("--json")
        #expect(
            none.standardOutput == """
                {
                  "schema" : "urn:epitaph:settings",
                  "schemaVersion" : 1,
                  "uploadsEnabled" : false
                }

                """)
        try sample.database.updateSettings {
            $0.lastUploadAttemptTime = Timestamp(secondsSince1970: 1_787_368_447)
        }
        let some = try settings("--json", "--enable-uploads").standardOutput
        #expect(some.contains("\"lastUploadAttempt\" : \"2026-08-22T03:14:07Z\""))
        #expect(some.contains("\"uploadsEnabled\" : true"))
    }

    @Test("A broken file is told of, and kept aside at the next change")
    func broken() throws {
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: file))
        let look = try settings()
        look.expectFailure(1, saying: "\(file): the file holds no settings")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data("nonsense".utf8))
        let change = try settings("--disable-uploads")
        #expect(change.ending == .exited(0))
        let kept = try FileManager.default.contentsOfDirectory(atPath: sample.path).filter {
            $0.hasPrefix("settings.dat.corrupt-")
        }
        #expect(kept.count == 1)
    }

    @Test("A later program's file stops every change, with a sentence")
    func laterVersion() throws {
        _ = try sample.database.settings()
        var bytes = try Array(Data(contentsOf: URL(fileURLWithPath: file)))
        bytes[4] = 9
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        for arguments in [[], ["--enable-uploads"]] {
            let result = try dumpConvert(["settings", "--database", sample.path] + arguments)
            result.expectFailure(1, saying: "a later program wrote it, in version 9")
        }
        #expect(try Array(Data(contentsOf: URL(fileURLWithPath: file))) == bytes)
    }
}
