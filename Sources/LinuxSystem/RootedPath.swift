// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Paths as a process with another root directory sees them: a container's, or a device's.
public enum RootedPath {
    /// The most links followed, as in the kernel: MAXSYMLINKS of linux/namei.h.
    private static let mostLinks = 40

    /// Where `path` leads on this machine, without symbolic links behind `root`. Absolute links and
    /// `..` stay inside of `root`, as chroot(2) makes them; path_resolution(7).
    ///
    /// What others change meanwhile may lead elsewhere, so what is opened there has to be checked.
    ///
    /// - Throws: ENOENT if there is nothing, ELOOP if links lead in circles.
    public static func resolved(
        _ path: String, in root: String
    ) throws(SystemError) -> String {
        var names: [Substring] = []
        var rest = Array(path.split(separator: "/").reversed())
        var links = 0
        while let name = rest.popLast() {
            if name == "." { continue }
            if name == ".." {
                _ = names.popLast()
                continue
            }
            let here = root + "/" + (names + [name]).joined(separator: "/")
            guard let target = try target(ofLink: here) else {
                names.append(name)
                continue
            }
            links += 1
            guard links <= mostLinks else {
                throw SystemError(call: "readlink", subject: here, errorNumber: ELOOP)
            }
            if target.hasPrefix("/") { names = [] }
            rest += target.split(separator: "/").reversed()
        }
        return root + "/" + names.joined(separator: "/")
    }

    /// readlink(2); nil for what is there and no link.
    private static func target(ofLink path: String) throws(SystemError) -> Substring? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink(path, &buffer, buffer.count - 1)
        guard count >= 0 else {
            guard errno == EINVAL else { throw .last("readlink", path) }
            return nil
        }
        return Substring(
            String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
}
