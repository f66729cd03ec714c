# SPDX-License-Identifier: Apache-2.0
#
# What has `swift build` compile each module at once: from nothing that takes three quarters of the time. With any number
# of threads each source file has its object file, which the package manager expects.
whole_modules=(-Xswiftc -whole-module-optimization -Xswiftc -no-emit-module-separately-wmo
               -Xswiftc -num-threads -Xswiftc 1 --disable-index-store)
