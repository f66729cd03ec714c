// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import Glibc

/// libdebuginfod's cache: the user's, or a temporary one of this run.
final class ClientCache: Sendable {
    let path: String
    /// Why it is not the user's; nil if it is.
    let note: String?
    private let isTemporary: Bool
    private let variable = ProcessVariable("DEBUGINFOD_CACHE_PATH")

    /// By the environment and the rights of the calling thread.
    ///
    /// - Throws: if not even a temporary directory can be created.
    init() throws(SystemError) {
        let users = CacheDirectory(
            variable: CurrentProcess.environmentVariable, exists: { Self.place($0) != nil })
        let objection = users.map { $0.objection(Self.place) } ?? "HOME is not set"
        if let users, objection == nil {
            path = users.path
            note = nil
            isTemporary = false
        } else {
            path = try Self.makeTemporary()
            note = "what symbol servers sent was not kept: \(objection ?? "")"
            isTemporary = true
        }
        variable.set(path)
    }

    deinit {
        variable.restore()
        if isTemporary { Self.removeTree(path) }
    }

    func remove(_ file: String) {
        guard let slash = file.lastIndex(of: "/"), file.hasPrefix(path + "/"),
            let directory = try? Directory(opening: String(file[..<slash]))
        else { return }
        _ = try? directory.remove(String(file[file.index(after: slash)...]))
    }

    private static func makeTemporary() throws(SystemError) -> String {
        let parent = try realPath(
            of: CurrentProcess.environmentVariable("TMPDIR") ?? "/var/tmp")
        let name = "epitaph-symbols-" + String(UInt64.random(in: 0 ... .max), radix: 36)
        let path = parent + "/" + name
        guard try Directory.make(path) else {
            throw SystemError(call: "mkdir", subject: path, errorNumber: EEXIST)
        }
        return path
    }

    /// The library makes one level of directories.
    private static func removeTree(_ path: String) {
        guard let top = try? Directory(opening: path) else { return }
        for name in (try? top.list().names) ?? [] {
            if let below = try? top.openDirectory(name) {
                for file in (try? below.list().names) ?? [] { _ = try? below.remove(file) }
                _ = try? top.removeDirectory(name)
            } else {
                _ = try? top.remove(name)
            }
        }
        rmdir(path)
    }

    private static func place(_ path: String) -> CacheDirectory.Place? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return CacheDirectory.Place(
            isDirectory: status.st_mode & S_IFMT == S_IFDIR, isOwn: status.st_uid == geteuid(),
            isWritable: access(path, W_OK | X_OK) == 0)
    }
}

/// Sets and restores a variable. setenv(3): no other thread may use the environment meanwhile.
struct ProcessVariable: Sendable {
    private let name: String
    private let earlier: String?

    init(_ name: String) {
        self.name = name
        earlier = getenv(name).map { String(cString: $0) }
    }

    func set(_ value: String) { setenv(name, value, 1) }

    func restore() {
        if let earlier { setenv(name, earlier, 1) } else { unsetenv(name) }
    }

    func with<Value>(_ value: String, _ body: () -> Value) -> Value {
        set(value)
        defer { restore() }
        return body()
    }
}
