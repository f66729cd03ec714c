// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import Glibc

extension FileDescriptor {
    /// Longer values are not read.
    private static let attributeLimit = 256

    package func attribute(_ name: String) throws(SystemError) -> String? {
        var value = [CChar](repeating: 0, count: Self.attributeLimit)
        let length = epitaph_file_attribute(rawValue, name, &value, value.count)
        guard length >= 0 else {
            guard errno != ENODATA else { return nil }
            throw .last("fgetxattr", path)
        }
        return value.withUnsafeBytes { String(decoding: $0.prefix(length), as: UTF8.self) }
    }

    package func setAttribute(_ name: String, _ value: String) throws(SystemError) {
        guard epitaph_file_attribute_set(rawValue, name, value, value.utf8.count) == 0 else {
            throw .last("fsetxattr", path)
        }
    }
}
