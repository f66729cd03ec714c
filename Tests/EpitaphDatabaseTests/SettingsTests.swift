// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct SettingsTests {
    let fixture: Fixture
    var database: ReportDatabase { fixture.database }

    init() throws {
        fixture = try Fixture()
    }

    /// settings.dat by the table: uploads enabled, last attempt 1 700 000 000, id
    /// 00112233-4455-6677-8899-aabbccddeeff
    private let written: [UInt8] =
        [0x73, 0x64, 0x50, 0x43] + [1, 0, 0, 0] + [1, 0, 0, 0] + [0, 0, 0, 0]
        + [0x00, 0xF1, 0x53, 0x65, 0, 0, 0, 0]
        + [0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66]
        + [0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF]
    private let client = Epitaph.ID("00112233-4455-6677-8899-AABBCCDDEEFF")

    @Test("Settings are made at the first question, uploads off, and stay")
    func defaults() throws {
        #expect(try database.storedSettings() == nil)
        let settings = try database.settings()
        #expect(!settings.uploadsEnabled)
        #expect(settings.lastUploadAttemptTime == nil)
        #expect(try fixture.bytes("settings.dat").count == 40)
        for _ in 0..<3 { #expect(try fixture.reopened().settings() == settings) }
        let mode = try FileManager.default.attributesOfItem(atPath: fixture.path("settings.dat"))
        #expect((mode[.posixPermissions] as? Int) == 0o600)
    }

    @Test("Crashpad's bytes are read as they are meant")
    func reads() throws {
        try fixture.write(written, "settings.dat")
        let settings = try database.settings()
        #expect(settings.clientID == client)
        #expect(settings.uploadsEnabled)
        #expect(settings.lastUploadAttemptTime == Timestamp(secondsSince1970: 1_700_000_000))
        #expect(try database.storedSettings() == settings)
        #expect(try fixture.bytes("settings.dat") == written)
    }

    @Test("A change is written in Crashpad's bytes, and unknown options and later fields stay")
    func writes() throws {
        var bytes = written + [0xAA, 0xBB, 0xCC]
        bytes[9] = 0x80
        try fixture.write(bytes, "settings.dat")
        try database.updateSettings {
            $0.uploadsEnabled = false
            $0.lastUploadAttemptTime = Timestamp(secondsSince1970: 258)
        }
        bytes[8] = 0
        bytes.replaceSubrange(16..<24, with: [2, 1, 0, 0, 0, 0, 0, 0])
        #expect(try fixture.bytes("settings.dat") == bytes)
        #expect(try fixture.reopened().settings().clientID == client)
    }

    @Test("A broken file is kept aside and new settings are made", arguments: [1, 4, 8, 39])
    func corruptShort(count: Int) throws {
        try fixture.write(Array(written.prefix(count)), "settings.dat")
        #expect(try database.storedSettings() == nil)
        let settings = try database.settings()
        #expect(settings.clientID != client)
        #expect(
            try fixture.bytes("settings.dat.corrupt-1700000000") == Array(written.prefix(count)))
        #expect(try database.settings() == settings)
    }

    @Test("Wrong magic and a version nobody wrote are broken too", arguments: [0, 4])
    func corruptHeader(offset: Int) throws {
        var bytes = written
        bytes[offset] = 0
        try fixture.write(bytes, "settings.dat")
        try database.updateSettings { $0.uploadsEnabled = true }
        #expect(try database.settings().uploadsEnabled)
        #expect(try fixture.bytes("settings.dat.corrupt-1700000000") == bytes)
    }

    @Test("Two broken files of one second are both kept")
    func corruptTwice() throws {
        for byte in [1, 2] as [UInt8] {
            try fixture.write([byte], "settings.dat")
            _ = try database.settings()
        }
        #expect(try fixture.bytes("settings.dat.corrupt-1700000000") == [1])
        #expect(try fixture.bytes("settings.dat.corrupt-1700000000-2") == [2])
    }

    @Test("A later program's file is neither read nor changed", arguments: [2, 255] as [UInt8])
    func laterVersion(version: UInt8) throws {
        var bytes = written + [7, 7, 7]
        bytes[4] = version
        try fixture.write(bytes, "settings.dat")
        let expected = DatabaseError.laterVersion(
            path: fixture.path("settings.dat"), version: Int(version))
        #expect(throws: expected) { try database.storedSettings() }
        #expect(throws: expected) { try database.settings() }
        #expect(throws: expected) { try database.updateSettings { $0.uploadsEnabled = true } }
        #expect(try fixture.bytes("settings.dat") == bytes)
        // If it is not known whether uploads are allowed, none begins.
        let report = try fixture.file()
        #expect(throws: expected) { try database.beginUpload(of: report.uuid) }
        #expect(try !database.report(report.uuid).isLocked)
    }

    @Test("A huge file is read no further than it has to be")
    func huge() throws {
        try fixture.write(written, "settings.dat")
        truncate(fixture.path("settings.dat"), 1 << 40)
        #expect(try database.settings().clientID == client)
        try database.updateSettings { $0.uploadsEnabled = false }
        #expect(try !database.settings().uploadsEnabled)
    }

    @Test("An empty or unlinked file becomes new settings without a copy")
    func emptyOrGone() throws {
        try fixture.write([], "settings.dat")
        let first = try database.settings()
        unlink(fixture.path("settings.dat"))
        #expect(try database.settings().clientID != first.clientID)
        #expect(try fixture.names("").filter { $0.hasPrefix("settings") } == ["settings.dat"])
    }

    @Test("A directory or a link in the file's place is an error and stays")
    func wrongKind() throws {
        try Directory.make(fixture.path("settings.dat"))
        #expect(throws: DatabaseError.self) { try database.settings() }
        rmdir(fixture.path("settings.dat"))
        symlink("/etc/passwd", fixture.path("settings.dat"))
        #expect(throws: DatabaseError.self) { try database.settings() }
        #expect(throws: DatabaseError.self) { try database.updateSettings { _ in } }
        unlink(fixture.path("settings.dat"))
        mkfifo(fixture.path("settings.dat"), 0o600)
        for call in [database.settings, { try database.updateSettings { _ in } }] {
            let error = #expect(throws: DatabaseError.self) { try call() }
            #expect(error?.description.hasSuffix("move it away") == true)
        }
    }

    @Test("Settings another process keeps locked are waited for, but not for ever")
    func locked() throws {
        try fixture.write(written, "settings.dat")
        let holder = try LockHolder(.wholeFile, on: fixture.path("settings.dat"))
        let hasty = try ReportDatabase(
            opening: fixture.path(""), ifMissing: .fail, settingsDeadline: .milliseconds(5))
        for call in [hasty.settings, { try hasty.updateSettings { _ in } }] {
            let error = #expect(throws: DatabaseError.self) { try call() }
            guard case .settingsBusy = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        holder.end()
        #expect(try hasty.settings().clientID == client)
    }

    @Test("Of many first questions at once all get one client id")
    func race() async throws {
        let fixture = fixture
        let ids = try await withThrowingTaskGroup(of: Epitaph.ID.self) { group in
            for _ in 0..<16 {
                group.addTask { try fixture.reopened().settings().clientID }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
    }
}
