// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// A secret's file: at a path, or a credential of systemd.exec(5), LoadCredential=.
package struct SecretFile: Sendable, Equatable {
    package let path: String
    private static let longest = 65_536
    private static let prefix = "credential:"

    package static func credential(_ text: String) -> String? {
        guard text.hasPrefix(prefix) else { return nil }
        let name = String(text.dropFirst(prefix.count))
        let isPlain = !name.isEmpty && name != "." && name != ".." && !name.contains("/")
        return isPlain ? name : nil
    }

    /// - Parameters:
    ///   - text: an absolute path, or `credential:NAME`.
    ///   - directory: the value of `CREDENTIALS_DIRECTORY`.
    /// - Throws: a phrase without the file's name if there are no credentials.
    package init(_ text: String, credentials directory: String?) throws(SecretError) {
        guard let name = Self.credential(text) else {
            path = text
            return
        }
        guard let directory, directory.hasPrefix("/") else {
            throw SecretError(
                "there is no credential \(name): CREDENTIALS_DIRECTORY is not set, which systemd "
                    + "does for LoadCredential=")
        }
        path = directory + "/" + name
    }

    /// A sentence if others may read the file; nil if not, or if it is missing.
    package var warning: String? {
        guard let real = try? realPath(of: path),
            let status = try? FileDescriptor.openForReading(real).fileStatus(),
            status.permissions & 0o004 != 0
        else { return nil }
        return "every user may read \(path), which holds a secret: chmod o-rwx"
    }

    /// Without blanks and line ends around it.
    package func text() throws(SecretError) -> String {
        guard
            let text = String(validating: try bytes(limit: Self.longest), as: UTF8.self)
                .map(\.trimmed)
        else { throw SecretError("\(path) is not a text of at most \(Self.longest) bytes") }
        guard !text.isEmpty else { throw SecretError("\(path) is empty") }
        return text
    }

    /// A symbolic link is followed: secrets of containers are links.
    package func bytes(limit: Int) throws(SecretError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) {
            let file = try FileDescriptor.openForReading(try realPath(of: path))
            guard try file.fileStatus().kind == .regular else {
                throw SystemError(call: "open", subject: path, errorNumber: 22)
            }
            bytes = try file.readAll(limit: limit + 1)
        } catch {
            throw SecretError("\(path) cannot be read: \(error.reason)")
        }
        guard bytes.count <= limit else {
            throw SecretError("\(path) has more than \(limit) bytes")
        }
        return bytes
    }
}

/// Why a secret cannot be used; a phrase that names the file but not its contents.
package struct SecretError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
