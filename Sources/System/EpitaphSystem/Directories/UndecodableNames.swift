// SPDX-License-Identifier: Apache-2.0

import Glibc

package struct UndecodableName: Sendable, Equatable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Text with `%` and two hex digits for each invalid byte.
    package var text: String {
        var text = ""
        var rest = bytes[...]
        while let first = rest.first {
            let length = (1...4).first { String(validating: rest.prefix($0), as: UTF8.self) != nil }
            if let length, length <= rest.count {
                text += String(decoding: rest.prefix(length), as: UTF8.self)
                rest = rest.dropFirst(length)
            } else {
                let digits = String(first, radix: 16, uppercase: true)
                text += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
                rest = rest.dropFirst()
            }
        }
        return text
    }
}

extension Directory {
    /// Up to `limit` of the names that `list` omits.
    package func undecodableNames(limit: Int) throws(SystemError) -> [UndecodableName] {
        let opened = retryingInterrupts {
            openat(descriptor.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        guard opened >= 0 else { throw .last("openat", path) }
        guard let stream = fdopendir(opened) else {
            let error = SystemError.last("fdopendir", path)
            Glibc.close(opened)
            throw error
        }
        defer { closedir(stream) }
        var names: [UndecodableName] = []
        let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
        for _ in 0..<limit {
            guard let entry = readdir(stream) else { break }
            let start = UnsafeRawPointer(entry).advanced(by: offset)
                .assumingMemoryBound(to: CChar.self)
            guard String(validatingCString: start) == nil else { continue }
            let bytes = UnsafeRawBufferPointer(start: start, count: strlen(start))
            names.append(UndecodableName(bytes: Array(bytes)))
        }
        return names
    }

    /// By linkat(2), which replaces nothing, and unlinkat(2). Throws EEXIST.
    package func rename(_ name: UndecodableName, as newName: String) throws(SystemError) {
        try check(newName)
        let old = name.bytes.map { CChar(truncatingIfNeeded: $0) } + [0]
        guard linkat(descriptor.rawValue, old, descriptor.rawValue, newName, 0) == 0 else {
            throw .last("linkat", path(of: name.text))
        }
        guard unlinkat(descriptor.rawValue, old, 0) == 0 || errno == ENOENT else {
            throw .last("unlinkat", path(of: name.text))
        }
    }
}
