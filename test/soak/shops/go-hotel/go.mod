module hotel

go 1.19
