// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// A directory with one file per setting: the name is the key, the contents are the value.
    /// Directories, symbolic links and hidden files are not settings.
    public struct DirectoryStore: KeyValueStore {
        /// Limit on a value, in bytes.
        public static let valueLimitBytes = 1 << 20
        /// Limit on listed keys.
        public static let keyLimit = 10_000

        public let name: String
        public let isWritable: Bool
        public let path: String

        /// - Parameter name: the path if nil.
        public init(_ path: String, name: String? = nil, isWritable: Bool = false) {
            self.path = path
            self.name = name ?? path
            self.isWritable = isWritable
        }

        public func keys() throws(StorageError) -> [String] { try stamps().keys.sorted() }

        /// Text if the file is UTF-8, data otherwise; nil if there is no such file.
        public func value(of key: String) throws(StorageError) -> StoredValue? {
            try Self.check(key)
            let bytes = try attempt { () throws(SystemError) -> [UInt8]? in
                let directory = try opened()
                guard try directory.status(of: key)?.kind == .regular else { return nil }
                let file = try directory.openForReading(key)
                // The program may have locked it by now.
                defer { OpenFiles.release(file) }
                return try file.readAll(limit: Self.valueLimitBytes + 1)
            }
            guard let bytes else { return nil }
            guard bytes.count <= Self.valueLimitBytes else { throw Self.tooLarge(key) }
            return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .data(bytes)
        }

        /// Replaces the file atomically; nil removes it.
        public func set(_ value: StoredValue?, of key: String) throws(StorageError) {
            guard isWritable else { throw .writingNotAllowed(place: name) }
            try Self.check(key)
            let bytes: [UInt8]
            switch value {
            case nil:
                try attempt { () throws(SystemError) in
                    let directory = try opened()
                    guard try directory.status(of: key)?.kind == .regular else { return }
                    _ = try directory.remove(key)
                }
                return
            case .text(let text): bytes = Array(text.utf8)
            case .data(let data): bytes = data
            case .integer, .real, .boolean, .list:
                throw .badValue(key: key, reason: "a file holds a text or data")
            }
            guard bytes.count <= Self.valueLimitBytes else { throw Self.tooLarge(key) }
            try attempt { () throws(SystemError) in try write(bytes, to: key) }
        }

        private func write(_ bytes: [UInt8], to key: String) throws(SystemError) {
            // A hidden name is never a setting, even if the file is left behind.
            let partial = "." + String(UInt64.random(in: 0 ... .max), radix: 16) + ".new"
            try opened().replace(key, with: bytes, writing: partial, isSynced: false)
        }

        func stamps() throws(StorageError) -> [String: FileStamp] {
            try attempt { () throws(SystemError) in
                let directory = try opened()
                var found: [String: FileStamp] = [:]
                for name in try directory.list(limit: Self.keyLimit).names {
                    guard (try? Self.check(name)) != nil,
                        let status = try directory.status(of: name), status.kind == .regular
                    else { continue }
                    found[name] = status.stamp
                }
                return found
            }
        }

        private func opened() throws(SystemError) -> Directory {
            try Directory(opening: try realPath(of: path))
        }

        private func attempt<Value>(
            _ body: () throws(SystemError) -> Value
        ) throws(StorageError) -> Value {
            do throws(SystemError) {
                return try body()
            } catch {
                throw .system(error)
            }
        }

        private static func check(_ key: String) throws(StorageError) {
            guard !key.isEmpty, key.utf8.count <= 255 else {
                throw .badKey(key, reason: "a file's name has 1 to 255 bytes")
            }
            guard !key.hasPrefix("."), !key.utf8.contains(UInt8(ascii: "/")), !key.utf8.contains(0)
            else { throw .badKey(key, reason: "it begins with a dot, or has a slash or a NUL") }
        }

        private static func tooLarge(_ key: String) -> StorageError {
            .badValue(key: key, reason: "it has more than \(valueLimitBytes) bytes")
        }
    }
}
