// SPDX-License-Identifier: Apache-2.0

import Glibc

extension Directory {
    /// linkat(2): a second name for a file; EEXIST when there is something of that name. Unlike
    /// renameat(2) it never replaces anything.
    public func link(_ name: String, as newName: String) throws(SystemError) {
        try check(name)
        try check(newName)
        try acting { () throws(SystemError) in
            let result = linkat(descriptor.rawValue, name, descriptor.rawValue, newName, 0)
            guard result == 0 else { throw .last("linkat", path(of: name)) }
        }
    }
}
