// SPDX-License-Identifier: Apache-2.0

import EpitaphStorageInspection
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Synchronization
import Testing

/// The driver that docs/storage.md shows.
private final class Defaults: KeyValueStore, @unchecked Sendable {
    // UserDefaults may be used from any thread.
    private let defaults: UserDefaults
    let name: String
    let isWritable = true

    init(_ defaults: UserDefaults, name: String) {
        self.defaults = defaults
        self.name = name
    }

    func keys() throws(StorageError) -> [String] {
        Array(defaults.dictionaryRepresentation().keys)
    }

    func value(of key: String) throws(StorageError) -> StoredValue? {
        switch defaults.object(forKey: key) {
        case let text as String: .text(text)
        case let bytes as Data: .data(Array(bytes))
        case let number as Int: .integer(Int64(number))
        case let number as Double: .real(number)
        case nil: nil
        case let other?: throw .badValue(key: key, reason: "it is a \(type(of: other))")
        }
    }

    func set(_ value: StoredValue?, of key: String) throws(StorageError) {
        switch value {
        case nil: defaults.removeObject(forKey: key)
        case .text(let text): defaults.set(text, forKey: key)
        case .integer(let number): defaults.set(Int(number), forKey: key)
        case .real(let number): defaults.set(number, forKey: key)
        case .boolean(let isTrue): defaults.set(isTrue, forKey: key)
        case .data(let bytes): defaults.set(Data(bytes), forKey: key)
        case .list: throw .badValue(key: key, reason: "lists are not written")
        }
    }
}

@Suite struct KeyValueTests {
    @Test("A file is a setting: read, written whole, removed, and told of")
    func directory() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Array("blue".utf8), to: "colour")
        try directory.write([0xff, 0xfe], to: "bytes")
        try directory.write([], to: ".hidden")
        let told = Mutex<[StorageChange]>([])
        let settings = KeyValueInspector(
            DirectoryStore(directory.path, name: "settings", isWritable: true)
        ) { change in told.withLock { $0.append(change) } }
        #expect(try settings.keys() == ["bytes", "colour"])
        #expect(try settings.value(of: "colour") == .text("blue"))
        #expect(try settings.value(of: "bytes") == .data([0xff, 0xfe]))
        #expect(try settings.value(of: "missing") == nil)
        try settings.set(.text("red"), of: "colour")
        try settings.set(.text("red"), of: "colour")
        try settings.set(.data([1]), of: "new")
        try settings.set(nil, of: "bytes")
        try settings.set(nil, of: "missing")
        #expect(try settings.keys() == ["colour", "new"])
        #expect(
            told.withLock { $0 } == [
                StorageChange(store: "settings", key: "colour", kind: .changed),
                StorageChange(store: "settings", key: "new", kind: .added),
                StorageChange(store: "settings", key: "bytes", kind: .removed),
            ])
    }

    @Test(
        "A cleared store has no key left, and tells of each; one that is only read is not cleared")
    func cleared() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Array("blue".utf8), to: "colour")
        try directory.write(Array("7".utf8), to: "size")
        try directory.write([], to: ".hidden")
        let told = Mutex<[String]>([])
        #expect(throws: StorageError.self) {
            try KeyValueInspector(DirectoryStore(directory.path)).clear()
        }
        let settings = KeyValueInspector(
            DirectoryStore(directory.path, isWritable: true)
        ) { change in told.withLock { $0.append(change.key ?? "") } }
        #expect(try settings.keys().count == 2)
        try settings.clear()
        #expect(try settings.keys() == [] && told.withLock { $0 } == ["colour", "size"])
        #expect(FileManager.default.fileExists(atPath: directory.path(".hidden")))
    }

    @Test(
        "What would leave the directory is no key",
        arguments: [
            "", ".", "..", "../x", "a/b", ".hidden", "a\0b", String(repeating: "a", count: 256),
        ])
    func badKeys(_ key: String) throws {
        let directory = try TemporaryDirectory()
        let store = DirectoryStore(directory.path, isWritable: true)
        #expect(throws: StorageError.self) { try store.value(of: key) }
        #expect(throws: StorageError.self) { try store.set(.text("x"), of: key) }
    }

    @Test("Links and directories are no settings, and nothing is written where that is not allowed")
    func notSettings() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("link"), withDestinationPath: "/etc/passwd")
        try FileManager.default.createDirectory(
            atPath: directory.path("sub"), withIntermediateDirectories: true)
        let store = DirectoryStore(directory.path)
        #expect(try store.keys().isEmpty)
        #expect(try store.value(of: "link") == nil)
        #expect(throws: StorageError.writingNotAllowed(place: directory.path)) {
            try store.set(.text("x"), of: "a")
        }
        #expect(throws: StorageError.self) {
            try DirectoryStore(directory.path, isWritable: true).set(.integer(1), of: "a")
        }
        let large = DirectoryStore(directory.path, isWritable: true)
        #expect(throws: StorageError.self) {
            try large.set(.data([UInt8](repeating: 0, count: (1 << 20) + 1)), of: "a")
        }
    }

    @Test("A watch tells of settings that others change, and ends")
    func watch() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Array("blue".utf8), to: "colour")
        let told = Mutex<[StorageChange]>([])
        let watch = try DirectoryStoreWatch(DirectoryStore(directory.path, name: "settings")) {
            change in told.withLock { $0.append(change) }
        }
        try directory.write(Array("bright red".utf8), to: "colour")
        #expect(
            eventually {
                told.withLock { $0.last }
                    == StorageChange(store: "settings", key: "colour", kind: .changed)
            })
        try directory.write([1], to: "new")
        #expect(
            eventually {
                told.withLock { $0.contains { $0.key == "new" && $0.kind == .added } }
            })
        try FileManager.default.removeItem(atPath: directory.path("colour"))
        #expect(
            eventually {
                // What is last may be that the other one has got its content.
                told.withLock {
                    $0.contains(StorageChange(store: "settings", key: "colour", kind: .removed))
                }
            })
        watch.stop()
    }

    @Test("A driver over UserDefaults, and the text for a report, without values unless asked for")
    func drivers() throws {
        let suite = "org.example.epitaph.\(Epitaph.ID().description.uppercased())"
        let defaults = try #require(UserDefaults(suiteName: suite))
        defer { defaults.removePersistentDomain(forName: suite) }
        let store = Defaults(defaults, name: "defaults")
        let settings = KeyValueInspector(store)
        try settings.set(.text("hunter2"), of: "greeting")
        #expect(try settings.value(of: "greeting") == .text("hunter2"))
        var summary = StorageSummary()
        #expect(summary.text(of: store).contains("  greeting: text, 7 bytes\n"))
        #expect(!summary.text(of: store).contains("hunter2"))
        summary.includesValues = true
        #expect(summary.text(of: store).contains("hunter2"))
    }
}
