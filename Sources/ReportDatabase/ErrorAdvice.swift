// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

extension SystemError {
    /// What can be done about it, where that is the same for every file of a database; without a
    /// full stop.
    var advice: String? {
        if isReadOnly {
            return "reports can still be read; make the file system writable to change them"
        }
        if isNotPermitted {
            return "run this as the user whose database it is, or let this user read and write it"
        }
        if isFull {
            return "make room on that file system, for example by removing reports; nothing that "
                + "was there has been lost"
        }
        if isOutOfDescriptors { return "raise the limit of open files, or try again later" }
        if isSymbolicLink {
            return "symbolic links in a database are not followed; put a real file or directory "
                + "there"
        }
        if isNotADirectory {
            return "a directory is needed there, and no symbolic link to one; move away what is "
                + "in its place"
        }
        return nil
    }
}
