# What is under way on a helper thread.

@cython.no_gc_clear  # the memory must outlive the helper threads' use of it
cdef class Request:
    """A read or write under way on a helper thread; made by `read_async` and `write_async`.

    It can be awaited. What was not waited for is waited for when its array is closed.
    """

    cdef drx_request *_req
    cdef Handle _array
    cdef object _lock
    cdef object _error
    cdef readonly object _memory

    def __init__(self, Handle array, memory):
        self._array = array
        self._memory = memory
        self._lock = threading.Lock()

    def __dealloc__(self):
        if self._req != NULL:
            with nogil:
                drx_wait(self._req)

    def done(self):
        """bool: whether it is over. Does not wait."""
        cdef int done = 1

        if not self._lock.acquire(False):
            return False  # another thread waits for it
        if self._req != NULL:
            drx_test(self._req, &done)
        self._lock.release()
        return bool(done)

    def _finish(self):
        cdef drx_request *req
        cdef drx_status st

        with self._lock:
            req = self._req
            if req == NULL:
                return
            with nogil:
                st = drx_wait(req)
            self._req = NULL
            if st != DRX_OK:
                self._error = error_of(st, self._array.path)
        self._array._requests.discard(self)

    def wait(self):
        """Wait for it.

        Returns
        -------
        numpy.ndarray
            What was read, or written.

        Raises
        ------
        OSError and others
            What the call would have raised at once.
        """
        self._finish()
        if self._error is not None:
            raise self._error
        return self._memory

    def __await__(self):
        import asyncio

        return asyncio.get_running_loop().run_in_executor(None, self.wait).__await__()
